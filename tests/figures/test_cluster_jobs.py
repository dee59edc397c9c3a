"""Jobs on nodes: blocks where and when they run, and names where there is room."""

from gpuedu.figures.caption import Caption
from gpuedu.figures.cluster_jobs import Cluster, JobBlock, plot_cluster_jobs
from tests.figures.legibility import assert_fit_to_print

CAPTION = Caption(
    title="Two clusters",
    x="hours",
    y="node",
    alt="Rows for the nodes of two clusters, with a block for each job on each node.",
    source="Made up",
)
JOBS = (JobBlock("long", (0, 2), 0.0, 6.0), JobBlock("short", (1,), 2.0, 2.1, is_yours=True))


def test_a_block_lies_on_each_node_of_a_job():
    ax = plot_cluster_jobs([Cluster("one", 3, JOBS)], caption=CAPTION)
    spans = [
        (round(bar.get_y() + bar.get_height() / 2, 6), bar.get_x(), round(bar.get_width(), 6))
        for bar in ax.patches
    ]
    assert spans == [(1, 0.0, 6.0), (3, 0.0, 6.0), (2, 2.0, 0.1)]


def test_a_name_that_does_not_fit_is_left_out():
    ax = plot_cluster_jobs([Cluster("one", 3, JOBS)], caption=CAPTION)
    assert [one.get_text() for one in ax.texts] == ["one", "long"]


def test_clusters_lie_below_each_other_and_can_be_read():
    ax = plot_cluster_jobs([Cluster("one", 3, JOBS), Cluster("two", 3, JOBS)], caption=CAPTION)
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["1", "2", "3"] * 2
    assert_fit_to_print(ax)
