import { config } from "zod";

// The policy of the page forbids code that is made from text. This module is imported first, before any schema is used.
config({ jitless: true });
