// Package bench measures how often an agent does a customer's request as the
// procedure demands, in the executable domains of [world], on the tasks of
// SOPBench.
//
// [ReadTasks] reads a file of tasks, [ReadRuns] what agents did on them as
// SOPBench recorded it, and a [Judge] executes every recorded call again and
// decides the seven criteria of a [Verdict]: either exactly as the official
// evaluator does, or with its known faults mended. A [Tally] adds verdicts up,
// apart for what an [Exposure] knows to have been seen in training;
// [Replay.Show] lays one run out, with the rules that it breaks.
//
// [Live] puts an agent to work: it talks to a [User] and calls tools, in
// conversations that are recorded as SOPBench records them and judged from that
// record. An [Agent] is a model in one of the [Modes], each of which is a file
// and a line, or a script.
package bench
