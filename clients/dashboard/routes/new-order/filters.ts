/** What a new order begins with: the values of another order, or a counterparty. */
interface NewOrderStart {
  readonly copyOf?: string | undefined;
  readonly counterpartyId?: string | undefined;
}

/** Reads it from the address. */
export function readNewOrder({ copyOf, counterpartyId }: Record<string, unknown>): NewOrderStart {
  return {
    copyOf: typeof copyOf === "string" ? copyOf : undefined,
    counterpartyId: typeof counterpartyId === "string" ? counterpartyId : undefined,
  };
}
