import { Link } from "@remix-run/react";
import { ArrowLeft } from "lucide-react";
import { type FormEvent, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { Panel } from "#app/components/integrations/page.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { CopyButton } from "#app/components/ui/copy-button.tsx";
import { ErrorBox } from "#app/components/ui/error-box.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { useHydrating } from "#app/components/ui/hydration.ts";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import { Page, PageTitle } from "#app/components/ui/page.tsx";
import type { ApiBody, ApiHeader, ApiPage, ApiParameterRow } from "#app/entities/integrations/api-page.ts";
import type { ApiField, ApiShape } from "#app/entities/integrations/api-shape.ts";
import { MethodMark } from "./method-mark.tsx";

/** A schema in words: its type, then its fields, with their own fields indented below them. */
function ShapeView({ shape }: { shape: ApiShape }) {
  return (
    <div className="flex min-w-0 flex-col gap-1 text-sm">
      <p>
        <code className="font-mono">{shape.type}</code>
        <Words shape={shape} />
      </p>
      <Inside shape={shape} />
    </div>
  );
}

function Inside({ shape: { fields, variants } }: { shape: ApiShape }) {
  return (
    <>
      {fields.length > 0 && (
        <ul className="flex flex-col gap-1 border-s border-line ps-3">
          {fields.map((field) => (
            <FieldView key={field.name} field={field} />
          ))}
        </ul>
      )}
      {variants.length > 0 && (
        <ol className="flex flex-col gap-2 border-s border-line ps-3">
          {variants.map((variant, number) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the variants of a schema never change
            <li key={number}>
              <ShapeView shape={variant} />
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

function FieldView({ field: { name, isRequired, shape } }: { field: ApiField }) {
  return (
    <li className="flex min-w-0 flex-col gap-1">
      <p className="min-w-0">
        <code className="font-mono font-medium">{name}</code>{" "}
        <code className="font-mono text-muted">{shape.type}</code>
        {!isRequired && <span className="text-muted"> optional</span>}
        <Words shape={shape} />
      </p>
      <Inside shape={shape} />
    </li>
  );
}

/** Text in which backticks mark code. */
function Prose({ text }: { text: string }) {
  return text.split("`").map((part, number) =>
    number % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change
      <code key={number} className="font-mono">
        {part}
      </code>
    ),
  );
}

function Words({ shape: { description, limits } }: { shape: ApiShape }) {
  return (
    <>
      {limits !== "" && <span className="text-muted"> ({limits})</span>}
      {description !== "" && (
        <span className="block">
          <Prose text={description} />
        </span>
      )}
    </>
  );
}

/** Code with a button that copies it. The keyboard scrolls it. */
function CodeBox({ label, text }: { label: string; text: string }) {
  return (
    <figure className="flex min-w-0 flex-col gap-1">
      <figcaption className="flex items-center justify-between gap-2 text-sm font-medium">
        {label}
        <CopyButton text={text} label={`Copy: ${label}`} />
      </figcaption>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
        tabIndex={0}
        className="max-h-96 overflow-auto rounded-md border border-line bg-sunken p-3 text-sm"
      >
        <code className="font-mono">{text}</code>
      </pre>
    </figure>
  );
}

/** Longer answers are cut, because they would slow the page down. */
const SHOWN_CHARACTERS = 20_000;

type Outcome = { text: string } | { problem: string };

/** Runs a call that changes nothing with the user's own session, on this installation. */
function TryIt({ page: { path, parameters } }: { page: ApiPage }) {
  const [outcome, setOutcome] = useState<Outcome>();
  const [pending, setPending] = useState(false);
  const needsScripts = useHydrating();
  const fields = parameters.filter(({ place }) => place !== "header");

  async function run(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (pending) return;
    const values = new FormData(event.currentTarget);
    const typedIn = (place: string, name: string) => String(values.get(`${place} ${name}`) ?? "").trim();
    const address = path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(typedIn("path", name)),
    );
    const query = new URLSearchParams();
    for (const { name, place } of fields) {
      const value = typedIn(place, name);
      if (place === "query" && value !== "") query.set(name, value);
    }
    const search = query.size === 0 ? "" : `?${query}`;
    setPending(true);
    const answer = await callApi(`${address}${search}`);
    setPending(false);
    if (answer.ok) setOutcome({ text: JSON.stringify(answer.value, null, 2) });
    else {
      const { status, message } = answer;
      setOutcome({ problem: `${status || "No response"}: ${message || "The server did not respond."}` });
    }
  }

  const text = outcome && "text" in outcome ? outcome.text : "";
  const isCut = text.length > SHOWN_CHARACTERS;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <form onSubmit={run} className="flex flex-col gap-3" aria-label="Try it">
        {fields.map(({ name, place, isRequired, description }) => (
          <Field key={`${place} ${name}`} label={name} hint={description} required={isRequired}>
            {(control) => (
              <Input
                {...control}
                name={`${place} ${name}`}
                required={isRequired}
                autoComplete="off"
                className="max-w-md font-mono"
              />
            )}
          </Field>
        ))}
        <Button
          type="submit"
          variant="primary"
          className="self-start"
          pending={pending}
          disabled={needsScripts}
        >
          Send request
        </Button>
      </form>
      <ErrorBox message={outcome && "problem" in outcome ? outcome.problem : ""} />
      <LiveRegion>{text === "" ? "" : "The response is shown below."}</LiveRegion>
      {text !== "" && (
        <CodeBox
          label="Response of this installation"
          text={isCut ? text.slice(0, SHOWN_CHARACTERS) : text}
        />
      )}
      {isCut && (
        <p className="text-sm text-muted">
          The first {SHOWN_CHARACTERS.toLocaleString("en-US")} of {text.length.toLocaleString("en-US")}{" "}
          characters are shown.
        </p>
      )}
    </div>
  );
}

/** One call: what it does, who may make it, its parameters and answers, and examples. */
export function OperationView({ page }: { page: ApiPage }) {
  return (
    <Page width="7xl">
      <Link to="/docs/api" className={`${buttonClass("ghost", "sm")} self-start`}>
        <ArrowLeft aria-hidden="true" />
        All calls
      </Link>
      <div className="flex min-w-0 flex-col gap-2">
        <PageTitle className="flex flex-wrap items-center gap-2">
          <MethodMark method={page.method} />
          <span className="min-w-0 font-mono text-lg break-all">{page.path}</span>
        </PageTitle>
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
          <Panel title="Response">
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
          <Panel title="Errors">
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
            {page.answer !== "" && <CodeBox label="Response" text={page.answer} />}
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
          <code className="font-mono font-medium">{name}</code>{" "}
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
