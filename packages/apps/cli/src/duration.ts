const TIME = /^(\d{1,9})(s|m|h|d)$/;
const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

/** `90s`, `30m`, `12h` or `7d` in seconds. Undefined for anything else. */
export const seconds = (text: string): number | undefined => {
  const [, amount, unit] = TIME.exec(text) ?? [];
  return amount && unit ? Number(amount) * SECONDS[unit as keyof typeof SECONDS] : undefined;
};
