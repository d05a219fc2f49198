/** Both directions of an enum from one table; a number that a newer version wrote has no name here. */
export const enumTable = <Name extends string>(numbers: Readonly<Record<Name, number>>) => {
  const names = new Map((Object.keys(numbers) as Name[]).map((name) => [numbers[name], name] as const));
  return {
    toPb: (name: Name): number => numbers[name],
    fromPb: (wire: number): Name | undefined => names.get(wire),
  };
};
