import { z } from "zod";

/** Names the session that a tool is about. */
export const SessionReference = z.string().min(1).max(100).describe("The id of the session, or its name.");
