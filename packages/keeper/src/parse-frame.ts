import { constants } from "node:os";
import { FrameRefused } from "./frame-refused.ts";
import type { Frame } from "./frame.ts";
import { maxId } from "./spool-format.ts";

type Fields = Readonly<Record<string, unknown>>;
type Test = (value: unknown) => boolean;

const isText: Test = (value) => typeof value === "string";
const isOptionalInteger: Test = (value) => value === undefined || Number.isInteger(value);
const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isExtent: Test = (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 9999;
const isSize: Test = (size) => isObject(size) && isExtent(size["columns"]) && isExtent(size["rows"]);
const isLaunchLine: Test = (line) =>
  isObject(line) &&
  isText(line["program"]) &&
  isText(line["cwd"]) &&
  Array.isArray(line["args"]) &&
  line["args"].every(isText) &&
  isObject(line["env"]) &&
  Object.values(line["env"]).every(isText) &&
  (line["stdin"] === "pipe" || line["stdin"] === "none" || (line["stdin"] === "terminal" && isSize(line["size"])));

/** What each frame must hold besides its id. Fields that nobody knows are ignored. */
const shapes: Readonly<Record<Frame["do"], Readonly<Record<string, Test>>>> = {
  note: { text: isText },
  launch: { line: isLaunchLine },
  say: { text: isText, process: isOptionalInteger },
  hangup: {},
  signal: { signal: (value) => typeof value === "string" && Object.hasOwn(constants.signals, value) },
  kill: {},
  type: { text: isText },
  resize: { size: isSize },
  trim: { upTo: (value) => Number.isInteger(value) },
  leave: { after: isOptionalInteger },
};

/** Reads one line from a client. Throws `FrameRefused`: it comes from outside, so nothing is taken on trust. */
export function parseFrame(line: string): Frame {
  const frame = parseJson(line);
  if (!isObject(frame)) throw new FrameRefused(null, "A frame is a JSON object.");
  const { id } = frame;
  if (typeof id !== "string" || id === "" || Buffer.byteLength(id) > maxId) {
    throw new FrameRefused(null, `A frame has an id of 1 to ${maxId} bytes.`);
  }
  const verb = frame["do"];
  if (typeof verb !== "string" || !Object.hasOwn(shapes, verb)) {
    throw new FrameRefused(id, `This keeper cannot do ${JSON.stringify(verb)}.`);
  }
  for (const [field, test] of Object.entries(shapes[verb as Frame["do"]])) {
    if (!test(frame[field])) throw new FrameRefused(id, `The field ${field} of ${verb} is missing or wrong.`);
  }
  return frame as unknown as Frame;
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new FrameRefused(null, "A frame is one line of JSON.");
  }
}
