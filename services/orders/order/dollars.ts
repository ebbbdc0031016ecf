/** An amount in words for a person, such as `$50,000.00`. */
export function dollars(cents: number): string {
  return `$${Math.trunc(cents / 100).toLocaleString("en-US")}.${String(cents % 100).padStart(2, "0")}`;
}
