import { constants } from "node:os";
import { RequestRejected } from "./request-rejected.ts";
import type { AttendRequest, KeeperRequest } from "./messages.ts";
import { isValidMask, type Mask } from "../masks/masks.ts";
import { maxIdBytes } from "../spool/spool-format.ts";

type Fields = Readonly<Record<string, unknown>>;
type AnyRequest = KeeperRequest | AttendRequest;
type FieldCheck = (value: unknown) => boolean;

const isText: FieldCheck = (value) => typeof value === "string";
const isOptionalInteger: FieldCheck = (value) => value === undefined || Number.isInteger(value);
const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isTextRecord: FieldCheck = (value) => isObject(value) && Object.values(value).every(isText);
const isTerminalExtent: FieldCheck = (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 9999;
const isTerminalSize: FieldCheck = (size) =>
  isObject(size) && isTerminalExtent(size["columns"]) && isTerminalExtent(size["rows"]);
const isLaunchCommand: FieldCheck = (command) =>
  isObject(command) &&
  isText(command["program"]) &&
  isText(command["cwd"]) &&
  Array.isArray(command["args"]) &&
  command["args"].every(isText) &&
  isTextRecord(command["env"]) &&
  (command["stdin"] === "pipe" ||
    command["stdin"] === "none" ||
    (command["stdin"] === "terminal" && isTerminalSize(command["size"])));

const isTextList: FieldCheck = (value) => Array.isArray(value) && value.every(isText);
const isPort: FieldCheck = (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65_535;
const isEndpoint: FieldCheck = (value) =>
  isObject(value) && isPort(value["port"]) && ["url", "header", "prefix"].every((name) => isText(value[name]));
const isGate: FieldCheck = (value) =>
  isObject(value) &&
  ["hosts", "refusedHosts", "services"].every((name) => isTextList(value[name])) &&
  Array.isArray(value["forwards"]) &&
  value["forwards"].every(isPort) &&
  (value["endpoint"] === undefined || isEndpoint(value["endpoint"]));
/** Written by hand: the keeper loads no schema library, which would double its memory. */
const isSandbox: FieldCheck = (value) =>
  isObject(value) &&
  (value["kind"] === "bwrap" || value["kind"] === "none") &&
  (value["workspace"] === "write" || value["workspace"] === "read") &&
  (value["workspaceFolder"] === undefined || isText(value["workspaceFolder"])) &&
  (value["nests"] === undefined || typeof value["nests"] === "boolean") &&
  ["writes", "protects", "hides", "shows"].every((name) => isTextList(value[name])) &&
  (value["network"] === "gate" ? isGate(value["gate"]) : ["none", "open"].includes(String(value["network"])));

const isTime: FieldCheck = (value) => typeof value === "string" && /^\d{1,19}$/.test(value);
const isMask: FieldCheck = (value) =>
  isObject(value) &&
  isText(value["text"]) &&
  isText(value["mask"]) &&
  typeof value["restores"] === "boolean" &&
  isValidMask(value as unknown as Mask);

/** The fields that each request must have besides its id. Unknown fields are ignored. */
const requestFields: Readonly<Record<AnyRequest["do"], Readonly<Record<string, FieldCheck>>>> = {
  note: { text: isText },
  launch: {
    command: isLaunchCommand,
    secrets: (value) => value === undefined || isTextRecord(value),
    sandbox: (value) => value === undefined || isSandbox(value),
    credential: (value) => value === undefined || isText(value),
  },
  write: {
    text: isText,
    process: isOptionalInteger,
    secrets: (value) => value === undefined || isTextRecord(value),
  },
  "close-stdin": {},
  signal: { signal: (value) => typeof value === "string" && Object.hasOwn(constants.signals, value) },
  kill: {},
  mask: { masks: (value) => Array.isArray(value) && value.every(isMask) },
  "prepare-gate": {},
  network: { host: isText, port: isPort, allow: (value) => typeof value === "boolean" },
  type: { text: isText },
  resize: { size: isTerminalSize },
  attend: {
    confirmedAt: isTime,
    freezeAt: isTime,
    endAt: isTime,
    onlyShortens: (value) => value === undefined || typeof value === "boolean",
  },
  trim: { upTo: (value) => Number.isInteger(value) },
  leave: { after: isOptionalInteger },
};

/** Parses and validates one line from a client. Throws `RequestRejected`. */
export function parseKeeperRequest(line: string): AnyRequest {
  const request = parseJson(line);
  if (!isObject(request)) throw new RequestRejected(null, "The request is not a JSON object.");
  const { id } = request;
  if (typeof id !== "string" || id === "" || Buffer.byteLength(id) > maxIdBytes) {
    throw new RequestRejected(null, `The request has no valid id: an id is a string of 1 to ${maxIdBytes} bytes.`);
  }
  const action = request["do"];
  if (typeof action !== "string" || !Object.hasOwn(requestFields, action)) {
    throw new RequestRejected(id, `This keeper does not know the request ${JSON.stringify(action)}.`);
  }
  for (const [field, check] of Object.entries(requestFields[action as AnyRequest["do"]])) {
    if (!check(request[field]))
      throw new RequestRejected(id, `The field ${field} of the request ${action} is missing or invalid.`);
  }
  return request as unknown as AnyRequest;
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new RequestRejected(null, "The request is not valid JSON.");
  }
}
