import type { Question } from "@fairlead/contract";

/** The answer that somebody typed: the labels behind the numbers, or their own words; null if it is neither. */
export function chosen({ options, several }: Question, typed: string): string | null {
  const words = typed.trim();
  if (words === "") return null;
  const numbers = several ? words.split(",").map((part) => part.trim()) : [words];
  if (!numbers.every((part) => /^\d+$/.test(part))) return words;
  // Without options a number is an answer like any other.
  if (options.length === 0) return words;
  const labels = numbers.map((part) => options[Number(part) - 1]?.label);
  return labels.every((label) => label !== undefined) ? labels.join(", ") : null;
}
