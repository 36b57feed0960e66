import { connectKeeper } from "../../../keeper/src/protocol/connect-keeper.ts";

/** Removes all records of a session's spool that its keeper can remove. */
export async function trimSpool(sessionFolder: string): Promise<void> {
  await using keeper = await connectKeeper(sessionFolder);
  await keeper.send({ do: "trim", id: "trim-test", upTo: keeper.hello.lastSeq });
}
