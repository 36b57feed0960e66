/** The beginning of the names of streams and subjects, unless the fleet's file has another one. */
export const defaultNamespace = "fairlead";
