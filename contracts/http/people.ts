import { z } from "zod";
import { idSchema } from "../ids/ids.ts";
import { namedEnum } from "../named-enum.ts";
import { mode } from "../rails/rails.ts";
import { comparedName } from "../text/text.ts";
import { role } from "./roles.ts";
import { scope } from "./scopes.ts";
import { createdAt, mergePatch, oneOrMany, pageOf, pageQuery, principal, timestamp } from "./shapes.ts";

const rolesOfMode = (name: string) =>
  z.array(role).meta({ description: `The roles in ${name}. None: no access there.` });
export const rolesByMode = z
  .object({ Test: rolesOfMode("Test"), Live: rolesOfMode("Live") })
  .meta({ id: "RolesByMode", description: "The roles of a person in each mode." });

/** Who calls, by a key or by a session. */
export const me = z
  .object({
    principal: principal("The principal for whom the request is made."),
    mode,
    scopes: z.array(scope).meta({ description: "What the caller may do in this mode." }),
    tenant: z
      .object({
        id: idSchema("ten"),
        name: z.string().meta({ description: "The tenant's name." }),
      })
      .meta({ description: "The caller's tenant." }),
    person: z
      .object({
        id: idSchema("per"),
        name: z.string().meta({ description: "The person's name." }),
        email: z.string().meta({ description: "What the person signs in with." }),
        roles: rolesByMode,
        hasGivenPassword: z.boolean().meta({
          description:
            "Whether the session began with a password that somebody else has set. Until the person changes it, they can only read.",
        }),
      })
      .nullable()
      .meta({ description: "The person who has signed in. Null for an API key." }),
    apiKeyId: idSchema("key").nullable().meta({ description: "The API key. Null for a person." }),
  })
  .meta({ id: "Me", description: "Who makes the request, and what they may do." });
export type Me = z.infer<typeof me>;

const personStatus = namedEnum("PersonStatus", "Whether the person can sign in.", {
  Active: "Can sign in.",
  Suspended: "Can't sign in, and has no role. Open proposals of theirs, and of keys for them, are denied.",
});
const roleList = z.array(role).max(5);

export const personCreate = z
  .strictObject({
    principal: comparedName(100).meta({
      description: "For whom the person acts. A key of the same principal is the same maker and approver.",
    }),
    email: z.email().max(254).meta({
      description: "What the person signs in with. No other person of the tenant may have it, in any case.",
    }),
    name: comparedName(100).meta({ description: "The person's name." }),
    roles: roleList.default([]).meta({ description: "The roles in the mode of the request." }),
  })
  .meta({ id: "PersonCreate", description: "A new person." });
export type PersonCreate = z.infer<typeof personCreate>;

export const personPatch = mergePatch(
  z
    .strictObject({
      name: comparedName(100).optional().meta({ description: "The person's name." }),
      roles: roleList.optional().meta({
        description:
          "All roles that the person shall have in the mode of the request. Those that wait for approval are denied; roles in the list that need approval are proposed anew.",
      }),
      status: personStatus.optional(),
    })
    .meta({ id: "PersonPatch", description: "Changes of a person." }),
);
export type PersonPatch = z.infer<typeof personPatch>;

const roleProposalStatus = namedEnum("RoleProposalStatus", "What became of the proposal.", {
  Open: "Waits for another admin.",
  Approved: "Approved: the person has the roles.",
  Denied: "Denied.",
});

export const roleProposal = z
  .object({
    id: idSchema("prop"),
    personId: idSchema("per"),
    principal: principal("The principal of the person."),
    personName: z.string().default("").meta({ description: "The person's name." }),
    personEmail: z.string().default("").meta({ description: "What the person signs in with." }),
    personRoles: z
      .array(role)
      .default([])
      .meta({ description: "The roles that the person has in this mode already." }),
    personCreatedBy: principal("The principal that created the person, or `operator`.")
      .nullable()
      .default(null),
    mode,
    roles: z.array(role).meta({ description: "The roles that the person shall get." }),
    hasApiKeys: z.boolean().default(false).meta({
      description:
        "Whether API keys act for the principal, did, or would if an open proposal of one were approved: the person then makes and decides with both.",
    }),
    status: roleProposalStatus,
    proposedBy: principal("The principal that gave the roles."),
    proposedAt: timestamp.meta({ description: "When it was proposed." }),
    decidedBy: principal("The principal that approved or denied it.").nullable(),
    decidedAt: timestamp.nullable().meta({ description: "When it was approved or denied." }),
  })
  .meta({ id: "RoleProposal", description: "Roles that need a second admin's approval." });
export type RoleProposal = z.infer<typeof roleProposal>;
export const roleProposalPage = pageOf(roleProposal).meta({
  id: "RoleProposalPage",
  description: "One page of proposed roles.",
});
export const roleProposalQuery = z.strictObject({ ...pageQuery, status: oneOrMany(roleProposalStatus) });
export type RoleProposalQuery = z.infer<typeof roleProposalQuery>;

export const person = z
  .object({
    id: idSchema("per"),
    principal: principal("For whom the person acts."),
    email: z.string().meta({ description: "What the person signs in with." }),
    name: z.string().meta({ description: "The person's name." }),
    status: personStatus,
    roles: rolesByMode,
    // The default is for answers that were stored before the field was added.
    proposedRoles: rolesByMode.default({ Test: [], Live: [] }).meta({
      description: "The roles that wait for another admin's approval (`/v1/people/role-proposals`).",
    }),
    createdBy: principal("The principal that created the person, or `operator`."),
    createdAt,
    // The default is for answers that were stored before the field was added. No If-Match names it.
    version: z.int().default(0).meta({
      description:
        "Rises with every change of name, status, roles in either mode, and roles that wait for approval. Also the `ETag`.",
    }),
  })
  .meta({ id: "Person", description: "A person of the tenant." });
export type Person = z.infer<typeof person>;
export const personPage = pageOf(person).meta({ id: "PersonPage", description: "One page of people." });
export const peopleQuery = z.strictObject({ ...pageQuery });
export type PeopleQuery = z.infer<typeof peopleQuery>;

export const personCreated = person
  .extend({
    password: z.string().nullable().meta({
      description:
        "The first password, in the first answer only: null when the request is repeated, and where people sign in at their company's provider. It ends after seven days unless the person sets another.",
    }),
  })
  .meta({ id: "PersonCreated", description: "A new person, with the first password." });
export type PersonCreated = z.infer<typeof personCreated>;

export const session = z
  .object({
    id: idSchema("ses"),
    address: z.string().meta({ description: "From where the person signed in." }),
    userAgent: z.string().nullable().meta({ description: "The browser, as it names itself." }),
    isCurrent: z.boolean().meta({ description: "Whether it is the session of this request." }),
    signedInAt: timestamp.meta({ description: "When it began." }),
    lastUsedAt: timestamp.meta({ description: "When it was last used, to the minute." }),
    endsAt: timestamp.meta({ description: "When it ends at the latest." }),
  })
  .meta({ id: "Session", description: "A session of a person who has signed in." });
export type Session = z.infer<typeof session>;
export const sessionPage = pageOf(session).meta({ id: "SessionPage", description: "One page of sessions." });

export const auditEntry = z
  .object({
    id: idSchema("aud"),
    at: timestamp.meta({ description: "When it happened." }),
    mode: mode.nullable().meta({ description: "The mode; null for what concerns none." }),
    actor: principal("The principal that did it, or `operator`."),
    action: z.string().meta({ description: "What was done, such as `SignedIn`." }),
    objectId: z.string().nullable().meta({
      description: "What it was done to; null for what concerns no object, or one that is only made by it.",
    }),
    address: z.string().nullable().meta({ description: "From where; null for the operator." }),
    requestId: z.string().nullable().meta({ description: "The request; null for the operator." }),
    details: z.record(z.string(), z.unknown()).meta({ description: "More, by action." }),
  })
  .meta({ id: "AuditEntry", description: "One entry of the audit log." });
export type AuditEntry = z.infer<typeof auditEntry>;
export const auditQuery = z.strictObject({
  ...pageQuery,
  actor: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: "The principal that did it, exactly as it is spelled.", examples: ["ida"] }),
  objectId: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .meta({
      description: "What it was done to, such as a person or a payment order.",
      examples: ["per_01jd3k5s8ye9v8z2r0q3m7n4xa"],
    }),
});
export type AuditQuery = z.infer<typeof auditQuery>;
export const auditPage = pageOf(auditEntry).meta({
  id: "AuditPage",
  description: "One page of the audit log.",
});
