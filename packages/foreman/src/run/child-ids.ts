/** Stands for the joined work among the tasks. No task has this id: those begin with a letter. */
export const joinedTask = "-";

/** The ids of the workflows that a run consists of. Two that start the same part share it. */
export const childIds = {
  task: (run: string, task: string): string => `${run}.task.${task}`,
  repair: (run: string, round: number, task: string): string => `${run}.repair.${round}.${task}`,
  join: (run: string, round: number): string => `${run}.join.${round}`,
  review: (run: string, round: number): string => `${run}.review.${round}`,
};
