import { FairleadError } from "@fairlead/contract";
import { Pen } from "../../packages/runtime/src/pen.ts";

/**
 * For a control: until disposed of, every pen drops what the journal does not take at once, and nobody hears of it. All
 * else of a runtime is as it is.
 */
export function carelessPens(): Disposable {
  const careful = Object.getOwnPropertyDescriptor(Pen.prototype, "write") as TypedPropertyDescriptor<Pen["write"]>;
  const write: Pen["write"] = async function (this: Pen, told) {
    try {
      // A pen whose session is being let go of tries once.
      return (await careful.value?.call(this, told, AbortSignal.abort())) ?? [];
    } catch (error) {
      if (!FairleadError.is(error, "unavailable")) throw error;
      return told.flatMap((one) => ("body" in one ? [] : [one]));
    }
  };
  Object.defineProperty(Pen.prototype, "write", { ...careful, value: write });
  return { [Symbol.dispose]: () => Object.defineProperty(Pen.prototype, "write", careful) };
}
