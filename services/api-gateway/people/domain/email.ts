import { z } from "zod";
import { invisible } from "../../../../contracts/text/text.ts";

/**
 * What a person signs in with, once in a tenant. Two spellings that differ in case are one email, as the database
 * compares them.
 */
export const emailText = z
  .string()
  .trim()
  .max(254)
  .refine((text) => /^[^\s@]+@[^\s@]+$/.test(text) && !invisible.test(text), {
    message: "must be an email address",
  });

/** Refused below this length: the only rule about passwords that helps (NIST SP 800-63B, 3.1.1.2, asks for 8). */
const minPasswordLength = 12;
export const passwordText = z.string().min(minPasswordLength).max(200);
