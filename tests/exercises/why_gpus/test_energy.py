from gpuedu.exercises.why_gpus.energy import ENERGIES, SOURCE


def test_energies_ascend_and_reads_come_behind_arithmetic():
    values = [energy.pj for energy in ENERGIES]
    assert values == sorted(values)
    assert [energy.is_read for energy in ENERGIES] == [False] * 5 + [True] * 4


def test_ranges_are_ranges_and_the_source_is_named():
    assert all(energy.most_pj is None or energy.most_pj > energy.pj for energy in ENERGIES)
    assert SOURCE.author and SOURCE.title and SOURCE.where and SOURCE.url.startswith("https://doi")
