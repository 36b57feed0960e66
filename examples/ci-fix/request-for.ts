const wrong = "export const sum = (one, other) => one * other;\n";
const right = "export const sum = (one, other) => one + other;\n";

/** What the agent is told. The scripted one cannot think, so it is told what to write too: the second time it is right. */
export function requestFor(agent: string, turn: number, output: string): string {
  const request = `\`node --test\` fails here. Change the code, not the test, so that it passes. It says:\n${output}`;
  if (agent !== "scripted") return request;
  const write = { name: "write", input: { path: "sum.js", content: turn === 1 ? wrong : right } };
  return `${request}\nSCRIPT:${JSON.stringify([{ text: "I see.", tools: [write] }])}`;
}
