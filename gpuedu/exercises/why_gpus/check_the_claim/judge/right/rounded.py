# Rounded as one would say it, to three digits.
corrected = {
    "h100_fp32_lanes": 16_900,
    "t4_fp32_lanes": 40 * 64,
    "training_bytes_354m": 5.66e9,
    "h100_dense_tflop_per_s": 989,
    "gpus_to_hold_gpt3": math.ceil(175e9 * 2 / 80e9),
    "busy_sms_percent": 0.76,
    "v5p_matrix_units": 2 * 4,
}
