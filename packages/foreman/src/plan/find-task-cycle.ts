import type { PlanTask } from "@fairlead/api";

/** Returns tasks that wait for each other, in order, with the first one again at the end; null if there are none. */
export function findTaskCycle(tasks: readonly Pick<PlanTask, "id" | "after">[]): string[] | null {
  const after = new Map(tasks.map((task) => [task.id, task.after]));
  const checked = new Set<string>();
  const path: string[] = [];
  const visit = (id: string): string[] | null => {
    const start = path.indexOf(id);
    if (start >= 0) return [...path.slice(start), id];
    if (checked.has(id)) return null;
    path.push(id);
    for (const before of after.get(id) ?? []) {
      const cycle = visit(before);
      if (cycle !== null) return cycle;
    }
    path.pop();
    checked.add(id);
    return null;
  };
  for (const { id } of tasks) {
    const cycle = visit(id);
    if (cycle !== null) return cycle;
  }
  return null;
}
