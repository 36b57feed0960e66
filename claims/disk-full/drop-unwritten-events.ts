import { FairleadError } from "@fairlead/contract";
import { JournalWriter } from "../../packages/runtime/src/actor/journal-writer.ts";

/** For a control: until disposed, every journal writer silently drops events that the journal does not accept at once. */
export function dropUnwrittenEvents(): Disposable {
  const original = Object.getOwnPropertyDescriptor(JournalWriter.prototype, "append") as TypedPropertyDescriptor<
    JournalWriter["append"]
  >;
  const write: JournalWriter["append"] = async function (this: JournalWriter, outputs) {
    try {
      // A writer whose session is being closed tries once.
      return (await original.value?.call(this, outputs, AbortSignal.abort())) ?? [];
    } catch (error) {
      if (!FairleadError.is(error, "unavailable")) throw error;
      return outputs.flatMap((one) => ("body" in one ? [] : [one]));
    }
  };
  Object.defineProperty(JournalWriter.prototype, "append", { ...original, value: write });
  return { [Symbol.dispose]: () => Object.defineProperty(JournalWriter.prototype, "append", original) };
}
