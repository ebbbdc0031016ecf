import { z } from "zod";
import { amountCents, currency } from "../money.ts";

/** An amount with its currency, as version 2 of the API writes it. */
export const money = z
  .strictObject({ cents: amountCents, currency })
  .meta({ id: "Money", description: "An amount with its currency." });
