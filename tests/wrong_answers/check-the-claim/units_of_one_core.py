# loses: tpu
# gives the units of one core
corrected = {
    "h100_fp32_lanes": 132 * 128,
    "t4_fp32_lanes": 40 * 64,
    "training_bytes_354m": 354e6 * 16,
    "h100_dense_tflop_per_s": 1979 / 2,
    "gpus_to_hold_gpt3": math.ceil(175e9 * 2 / 80e9),
    "busy_sms_percent": 100 / 132,
    "v5p_matrix_units": 4,
}
