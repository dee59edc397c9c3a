"""A structure with an array, a constructor, static functions and operators, as llm.c has it.

After ``Packed128`` in llm.c (``llmc/cuda_utils.cuh``, MIT license), in short.
"""

PACKED = """
template <class T> struct alignas(16) Packed {
    Packed() = default;
    __device__ explicit Packed(int4 bits) {
        static_assert(sizeof(bits) == sizeof(payload), "sizes");
        memcpy(&payload, &bits, sizeof(bits));
    }
    __device__ static Packed constant(T value) {
        Packed result;
        for (int k = 0; k < size; ++k) { result.payload[k] = value; }
        return result;
    }
    __device__ static Packed zeros() { return constant(0.f); }
    __device__ T& operator[](int index) { return payload[index]; }
    __device__ const T& operator[](int index) const { return payload[index]; }
    __device__ int4 get_bits() const {
        int4 bits;
        memcpy(&bits, &payload, sizeof(bits));
        return bits;
    }
    static constexpr const size_t size = sizeof(int4) / sizeof(T);
    T payload[size];
};
template <class T> __device__ Packed<T> load(const T* address) {
    return Packed<T>{*reinterpret_cast<const int4*>(address)};
}
template <class T> __device__ void store(T* target, Packed<T> value) {
    *reinterpret_cast<int4*>(target) = value.get_bits();
}
"""
