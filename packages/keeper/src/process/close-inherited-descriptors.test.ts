import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

const module = JSON.stringify(new URL("close-inherited-descriptors.ts", import.meta.url));

/** Prints whether a child process has descriptor 200, before and after. */
const program = `
  import { spawnSync } from "node:child_process";
  import { closeInheritedDescriptors } from ${module};
  const hasIt = () => spawnSync("test", ["-e", "/proc/self/fd/200"]).status === 0;
  const before = hasIt();
  closeInheritedDescriptors();
  console.log(before, hasIt());
`;

test("a child process does not get a descriptor that this process inherited", () => {
  // Node itself closes the first ones. Scripts open a lock at a number like this.
  const script = 'exec 200</dev/null; exec "$0" --input-type=module --eval "$1"';
  const output = execFileSync("bash", ["-c", script, process.execPath, program], { encoding: "utf8" });
  expect(output).toBe("true false\n");
});
