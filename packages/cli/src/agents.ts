import { adapters, unverifiedAgents } from "@fairlead/adapters";
import { Registry } from "@fairlead/runtime";

/** Every agent that this command knows; the daemon that it starts knows the same. Load it only at need: it is large. */
export function agents(): Registry {
  return new Registry([...adapters, ...unverifiedAgents]);
}
