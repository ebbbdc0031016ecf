/**
 * The time outside every book: of records, leases, keys, deadlines and idempotency. What happens in a book happens at
 * the time of its clock (`timeIn`).
 */
export function realTime(): Date {
  return new Date();
}
