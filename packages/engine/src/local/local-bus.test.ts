import { busConformance } from "../conformance.ts";
import { LocalBus } from "./local-bus.ts";

busConformance("local", async () => {
  const bus = new LocalBus();
  return { bus, [Symbol.asyncDispose]: () => bus[Symbol.asyncDispose]() };
});
