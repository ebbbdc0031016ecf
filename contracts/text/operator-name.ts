import { z } from "zod";

/** An operator's name, as given with `--by`: in lower case, so that one person has one name. */
export const operatorName = z
  .string("is missing")
  .min(2)
  .max(60)
  .regex(/^[a-z][a-z0-9._@-]*$/, {
    message: "a name in lower case, without spaces, such as ada.lovelace",
  });
