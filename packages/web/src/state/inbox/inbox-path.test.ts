import { pathSegmentPattern } from "@fairlead/api";
import fc from "fast-check";
import { expect, it } from "vitest";
import { inboxPath, readInboxPath } from "./inbox-path.ts";

it("the link of a card names it, and the service serves it, whatever the agent chose as its id", () => {
  const id = fc.oneof(
    fc.string({ unit: "binary", minLength: 1 }),
    fc.constantFrom("a:b", "a/b", "..", ".", "%2e", "-.", "-.Ijci", "\ud800", "ä?#"),
  );
  fc.assert(
    fc.property(id, (decision) => {
      const path = inboxPath({ session: "54tq", decision });
      const segments = path.slice(1).split("/");
      expect(segments).toHaveLength(3);
      for (const segment of segments) expect(segment).toMatch(pathSegmentPattern);
      expect(readInboxPath(path)).toEqual({ session: "54tq", decision });
    }),
  );
});

it.each([
  ["/inbox", null],
  ["/inbox/54tq", null],
  ["/inbox/54tq/-.", null],
  ["/inbox/54tq/-.%", null],
  ["/inbox/54tq/-.Nw", null],
  ["/inbox/54tq/a/0", null],
  ["/s/54tq/d", null],
  ["/inbox/54tq/17", { session: "54tq", decision: "17" }],
])("%s", (path, expected) => expect(readInboxPath(path)).toEqual(expected));
