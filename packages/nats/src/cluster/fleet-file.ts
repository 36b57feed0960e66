import { z } from "zod";
import { defaultNamespace } from "../default-namespace.ts";

/** Errors never have the value: a password may be in the wrong place. */
const text = (meaning: string): z.ZodString => z.string(`Write ${meaning}`).min(1, `Write ${meaning}`);

const forms = "Write either credentials, or user and one of passwordVariable and passwordFile";

/** Credentials of one user: a file of NATS credentials, or a name and where the password is. */
const Login = z
  .strictObject(
    {
      credentials: text("the path of a file of NATS credentials").optional(),
      user: text("the name of a user").optional(),
      passwordVariable: z
        .string("Write the name of an environment variable")
        .regex(
          /^[A-Z_][A-Z0-9_]*$/,
          "Write the name of an environment variable in capitals, and not the password itself",
        )
        .optional(),
      passwordFile: text("the path of a file that has only the password").optional(),
    },
    // Without this the library's own words would be printed if the value is not a map.
    {
      error: ({ code }) => (code === "invalid_type" ? forms : undefined),
    },
  )
  .refine(({ credentials, user, passwordVariable, passwordFile }) => {
    const passwords = [passwordVariable, passwordFile].filter((one) => one !== undefined).length;
    return credentials === undefined ? user !== undefined && passwords === 1 : user === undefined && passwords === 0;
  }, forms);

/** A name or an address, and a port. A user and a password before them would end up in messages and in lists of processes. */
const Address = z
  .string("Write host:port")
  .regex(/^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):\d{1,5}$/, "Write host:port, without a scheme, a user or a password")
  .refine((address) => {
    const port = Number(address.slice(address.lastIndexOf(":") + 1));
    return port > 0 && port < 65_536;
  }, "Write a port from 1 to 65535");

/** The file that names a fleet: its servers, and how to reach them. It has no secret, so it can be shared. */
export const FleetFile = z.strictObject({
  servers: z.array(Address, "Write a list of addresses as host:port").min(1, "Write at least one address as host:port"),
  /** The beginning of the names of streams and subjects. Two fleets in one account need two. */
  namespace: z
    .string("Use 1 to 32 letters, digits, - and _")
    .regex(/^[A-Za-z0-9_-]{1,32}$/, "Use 1 to 32 letters, digits, - and _")
    .default(defaultNamespace),
  /** The user of the account that has the streams. Not needed if the servers accept clients without a login. */
  login: Login.optional(),
  /** A user of the system account. `fairlead fleet init` and `fairlead fleet status` use it, to ask the servers. */
  system: Login.optional(),
  tls: z.strictObject({ ca: text("the path of a file with certificates") }).optional(),
});
export type FleetFile = z.infer<typeof FleetFile>;
export type FleetLogin = z.infer<typeof Login>;
