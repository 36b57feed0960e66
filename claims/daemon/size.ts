/** The size of a proof: the required size, or `FAIRLEAD_SIZE=sessions=5,lines=100` for a quick try. */
export function readSize(name: string, fullSize: number): number {
  const setting = new RegExp(`(?:^|,)${name}=(\\d+)`).exec(process.env["FAIRLEAD_SIZE"] ?? "")?.[1];
  return setting === undefined ? fullSize : Number(setting);
}
