import { Link } from "@remix-run/react";
import { ArrowLeft } from "lucide-react";
import { Panel } from "#app/components/integrations/page.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { buttonClass } from "#app/components/ui/button.tsx";
import { Page } from "#app/components/ui/page.tsx";
import type { ApiBody, ApiHeader, ApiPage, ApiParameterRow } from "#app/entities/integrations/api-page.ts";
import { CodeBox } from "./code-box.tsx";
import { MethodMark } from "./method-mark.tsx";
import { Prose } from "./prose.tsx";
import { ShapeView } from "./shape.tsx";
import { TryIt } from "./try-it.tsx";

/** One call: what it does, who may make it, what it takes and answers, and examples. */
export function OperationView({ page }: { page: ApiPage }) {
  return (
    <Page width="7xl">
      <Link to="/docs/api" className={`${buttonClass("ghost", "sm")} self-start`}>
        <ArrowLeft aria-hidden="true" />
        All calls
      </Link>
      <div className="flex min-w-0 flex-col gap-2">
        <h1 className="flex flex-wrap items-center gap-2 text-xl font-semibold tracking-tight">
          <MethodMark method={page.method} />
          <span className="min-w-0 font-mono text-lg break-all">{page.path}</span>
        </h1>
        <p>
          <Prose text={page.summary} />
        </p>
        {page.details !== "" && (
          <p className="max-w-3xl text-sm text-muted">
            <Prose text={page.details} />
          </p>
        )}
        <p className="flex flex-wrap gap-2">
          <Badge>{page.group}</Badge>
          <Badge tone="accent">Permission: {page.permission}</Badge>
          {page.needsRecentSignIn && <Badge tone="warn">Confirmed within ten minutes</Badge>}
          {page.isInternal && <Badge>Internal, may change</Badge>}
        </p>
      </div>
      <div className="grid min-w-0 items-start gap-4 lg:grid-cols-2">
        <div className="grid min-w-0 gap-4">
          {page.parameters.length > 0 && (
            <Panel title="Parameters">
              <Parameters rows={page.parameters} />
            </Panel>
          )}
          {page.request.length > 0 && (
            <Panel title="Request body">
              <Bodies bodies={page.request} />
            </Panel>
          )}
          <Panel title="Answer">
            {page.answers.map(({ status, description, headers, bodies }) => (
              <div key={status} className="flex min-w-0 flex-col gap-2">
                <h3 className="text-sm font-medium">
                  {status} <Prose text={description} />
                </h3>
                <Headers rows={headers} />
                <Bodies bodies={bodies} />
              </div>
            ))}
          </Panel>
          <Panel title="Failures">
            <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
              {page.failures.map(({ status, description }) => (
                <div key={status} className="contents">
                  <dt className="font-mono">{status}</dt>
                  <dd className="min-w-0">
                    <Prose text={description} />
                  </dd>
                </div>
              ))}
            </dl>
            {page.failure && <ShapeView shape={page.failure} />}
          </Panel>
        </div>
        <div className="grid min-w-0 gap-4">
          <Panel title="Example">
            <CodeBox label="curl" text={page.curl} />
            <CodeBox label="fetch" text={page.fetch} />
            {page.answer !== "" && <CodeBox label="Answer" text={page.answer} />}
          </Panel>
          {page.canTry && (
            <Panel title="Try it" lead="Runs on this installation with your own session and permissions.">
              <TryIt key={page.id} page={page} />
            </Panel>
          )}
        </div>
      </div>
    </Page>
  );
}

function Parameters({ rows }: { rows: readonly ApiParameterRow[] }) {
  return (
    <ul className="flex flex-col gap-2 text-sm">
      {rows.map(({ name, place, isRequired, description }) => (
        <li key={`${place} ${name}`} className="min-w-0">
          <code className="font-mono font-medium break-words">{name}</code>{" "}
          <span className="text-muted">
            {place}
            {isRequired ? ", required" : ""}
          </span>
          {description !== "" && (
            <span className="block">
              <Prose text={description} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function Headers({ rows }: { rows: readonly ApiHeader[] }) {
  if (rows.length === 0) return null;
  return <Parameters rows={rows.map((row) => ({ ...row, place: "header", isRequired: false }))} />;
}

function Bodies({ bodies }: { bodies: readonly ApiBody[] }) {
  return bodies.map(({ type, shape }) => (
    <div key={type} className="flex min-w-0 flex-col gap-1">
      <p className="font-mono text-sm text-muted">{type}</p>
      {shape && <ShapeView shape={shape} />}
    </div>
  ));
}
