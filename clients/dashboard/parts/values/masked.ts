/** Shows the last four digits of an account number. Takes a whole number, or one that the API masked (`****6789`). */
export function masked(number: string | null): string {
  return number === null ? "" : `••••\u00a0${number.slice(-4)}`;
}
