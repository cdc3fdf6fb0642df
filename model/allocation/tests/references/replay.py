"""The policy of the published method on a small cluster, event by event: an independent replay in another language.

Run it with `python3 replay.py`; `model/allocation/tests/allocation/` contains its output. Each task needs a share of one GPU. It
gets the node whose GPU has most capacity left, and that GPU. A task that fits no node waits; latency-sensitive tasks are served
first, each kind in the order of arrival. No task is preempted.
"""

import heapq

# What is left of the GPUs of three nodes, in thousandths: all different, so that no two are ever alike.
NODES = [[1000, 903], [811, 707], [613]]


def tasks():
    """A hundred tasks from a linear congruential generator (Numerical Recipes): when, how long, share, sensitive."""
    state, at = 12345, 0

    def number(below):
        nonlocal state
        state = (1664525 * state + 1013904223) % 2**32
        return (state >> 8) % below

    for _ in range(100):
        at += 1 + number(20)
        # Ends never meet arrivals: they are not whole.
        yield at, 60 + number(200) + 0.25, 101 + number(300), number(3) == 0


def main():
    left = [list(node) for node in NODES]
    ends, waiting, waits = [], [], {True: [], False: []}
    comes = list(tasks())

    def place(now, task):
        at, seconds, share, sensitive = task
        best = None
        for node in range(len(left)):
            for gpu in range(len(left[node])):
                room = left[node][gpu]
                if room >= share and (best is None or room > best[0]):
                    best = (room, node, gpu)
        if best is None:
            return False
        _, node, gpu = best
        left[node][gpu] -= share
        heapq.heappush(ends, (now + seconds, node, gpu, share))
        waits[sensitive].append(now - at)
        return True

    def serve(now):
        waiting.sort(key=lambda task: (not task[3], task[0]))
        waiting[:] = [task for task in waiting if not place(now, task)]

    makespan = 0
    while comes or ends:
        if ends and (not comes or ends[0][0] <= comes[0][0]):
            now, node, gpu, share = heapq.heappop(ends)
            left[node][gpu] += share
            makespan = now
        else:
            task = comes.pop(0)
            now = task[0]
            waiting.append(task)
        serve(now)
    for sensitive in (True, False):
        of = waits[sensitive]
        print("sensitive" if sensitive else "others", len(of), sum(of) / len(of))
    print("makespan", makespan)


main()
