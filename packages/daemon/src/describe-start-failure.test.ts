import { expect, it } from "vitest";
import { describeStartFailure, findStartFailure, startFailurePrefix } from "./describe-start-failure.ts";

it("says that the address is used, and what to type", () => {
  const error = Object.assign(new Error("listen EADDRINUSE: address already in use 127.0.0.1:4747"), {
    code: "EADDRINUSE",
  });
  expect(describeStartFailure(error, "127.0.0.1:4747")).toBe(
    "Another process uses the address 127.0.0.1:4747. Select any free port with: fairlead up --listen 127.0.0.1:0",
  );
  expect(describeStartFailure(new Error("It is damaged.\nmore"), null)).toBe("It is damaged.");
});

it("finds the reason in a log, also one that Node wrote", () => {
  const log = `{"msg":"daemon started"}\n${startFailurePrefix}The disk is full.\nError: x\n    at y\n`;
  expect(findStartFailure(log)).toBe("The disk is full.");
  const nodeLog =
    "node:internal/x:12\n    throw e;\n    ^\n\nTypeError [ERR_X]: Cannot read it\n    at main\n\nNode.js v24\n";
  expect(findStartFailure(nodeLog)).toBe("TypeError [ERR_X]: Cannot read it");
  expect(findStartFailure('{"msg":"daemon started"}\n')).toBeNull();
  expect(findStartFailure("")).toBeNull();
});
