import { forEachChild, type ParsedScript, type SyntaxNode } from "unbash";

/** Builtins that set the variables that their arguments name. */
const setters = new Set(
  "read mapfile readarray printf getopts unset let declare typeset local readonly export wait".split(" "),
);
/** Builtins that may set any variable. */
const evaluators = new Set("eval source . trap".split(" "));

/**
 * Lists the variables that a script assigns in one place only. After that assignment their value is known, unless the script
 * evaluates text, for which the list is empty.
 */
export function findConstants(script: ParsedScript): ReadonlySet<string> {
  const counts = new Map<string, number>();
  const count = (name: string | undefined, by: number): void => {
    if (name !== undefined && name !== "") counts.set(name, (counts.get(name) ?? 0) + by);
  };
  let evaluates = false;
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Assignment") count(node.name, node.append === true || node.index !== undefined ? 2 : 1);
    else if (node.type === "For" || node.type === "Select") count(node.name.value, 2);
    else if (node.type === "ParameterExpansion" && node.operation?.operator.endsWith("=") === true)
      count(node.parameter, 2);
    else if (node.type === "ArithmeticWord") count(/^\w+/.exec(node.value)?.[0], 2);
    else if (node.type === "Command" && node.name !== undefined) {
      evaluates ||= evaluators.has(node.name.value);
      if (setters.has(node.name.value)) {
        for (const word of node.args) count(/^\w+/.exec(word.type === "Word" ? word.value : word.name)?.[0], 2);
      }
    }
    forEachChild(node, visit);
  };
  visit(script);
  return new Set(evaluates ? [] : [...counts].filter(([, times]) => times === 1).map(([name]) => name));
}
