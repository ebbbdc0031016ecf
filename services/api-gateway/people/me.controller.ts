import { Controller, Delete, Get, Inject, Param, Query } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import { Refusal } from "../../../contracts/errors.ts";
import {
  type AuditEntry,
  auditPage,
  type AuditQuery,
  auditQuery,
  type Me,
  me,
  type PeopleQuery,
  peopleQuery,
  type Session,
  sessionPage,
} from "../../../contracts/http/people.ts";
import type { Page } from "../../../contracts/http/shapes.ts";
import { isId, uuidOf } from "../../../contracts/ids/ids.ts";
import { Database } from "../../platform/persistence/database.ts";
import { pageOfRows, uuidAfter } from "../../platform/persistence/page.ts";
import { SessionCache } from "../auth/key-cache.ts";
import { type HttpContext, Http } from "../operation/http-context.ts";
import { Operation } from "../operation/operation.ts";
import { GatewayWrites } from "../upstream/gateway-writes.ts";
import { publishPersonChanged } from "./person-changed.ts";
import { readMe } from "./read-me.ts";
import { listAudit, listSessions } from "./store/list-people.ts";
import { endSession } from "./store/sessions.ts";

/** Who makes the request, their sessions, and what was done. */
@ApiTags("People")
@Controller("v1")
export class MeController {
  readonly #database: Database;
  readonly #writes: GatewayWrites;
  readonly #known: SessionCache;

  constructor(
    @Inject(Database) database: Database,
    @Inject(GatewayWrites) writes: GatewayWrites,
    @Inject(SessionCache) known: SessionCache,
  ) {
    this.#database = database;
    this.#writes = writes;
    this.#known = known;
  }

  @Get("me")
  @Operation({
    id: "getMe",
    summary: "Read who you are",
    access: "any key",
    answers: { status: 200, schema: me, as: "The caller" },
  })
  read(@Http() http: HttpContext): Promise<Me> {
    return readMe(this.#database.sql, http.known);
  }

  @Get("sessions")
  @Operation({
    id: "listSessions",
    summary: "List your own sessions",
    access: "any key",
    takes: ["query"],
    answers: { status: 200, schema: sessionPage, as: "A page of sessions; none for an API key" },
  })
  async sessions(
    @Query({ schema: peopleQuery }) query: PeopleQuery,
    @Http() http: HttpContext,
  ): Promise<Page<Session>> {
    const asked = { ...query, list: "sessions" };
    const page = { after: uuidAfter(asked), limit: query.limit };
    const own = http.known.session;
    const rows = own === null ? [] : await listSessions(this.#database.sql, own.person, own.id, page);
    const answer = pageOfRows(
      rows,
      query.limit,
      (row) => row,
      ({ id }) => uuidOf(id),
      asked,
    );
    http.linkTo(answer);
    return answer;
  }

  @Delete("sessions/:id")
  @Operation({
    id: "endSession",
    summary: "End one of your own sessions",
    audited: "SessionEnded",
    access: "any key",
    path: { id: "ses" },
    writes: true,
    answers: { status: 204, as: "The session has ended" },
  })
  async end(@Param("id") id: string, @Http() http: HttpContext): Promise<void> {
    const own = http.known.session;
    const notFound = new Refusal("not_found", "Check the id: you have no session of this id.");
    if (own === null || !isId("ses", id)) throw notFound;
    await this.#writes.once(http, "sessions", async (unit) => {
      if (!(await endSession(unit.sql, own.person, id, "EndedByPerson"))) throw notFound;
      publishPersonChanged(unit, { id: own.person, tenant: own.tenant });
      return { id };
    });
    this.#known.clear();
  }

  @Get("audit-log")
  @Operation({
    id: "listAuditLog",
    summary: "Read the audit log",
    access: "people:write",
    takes: ["query"],
    answers: { status: 200, schema: auditPage, as: "A page of the log" },
  })
  async audit(
    @Query({ schema: auditQuery }) query: AuditQuery,
    @Http() http: HttpContext,
  ): Promise<Page<AuditEntry>> {
    const asked = { ...query, list: "audit-log" };
    const rows = await listAudit(this.#database.sql, http.known, { ...query, after: uuidAfter(asked) });
    const answer = pageOfRows(
      rows,
      query.limit,
      (row) => row,
      ({ id }) => uuidOf(id),
      asked,
    );
    http.linkTo(answer);
    return answer;
  }
}
