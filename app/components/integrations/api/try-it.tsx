import { type FormEvent, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { Button } from "#app/components/ui/button.tsx";
import { ErrorBox } from "#app/components/ui/error-box.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import { useHydrating } from "#app/components/ui/use-hydrating.ts";
import type { ApiPage } from "#app/entities/integrations/api-page.ts";
import { CodeBox } from "./code-box.tsx";

/** Longer answers are cut, because they would slow the page down. */
const SHOWN_CHARACTERS = 20_000;

type Outcome = { text: string } | { problem: string };

/** Runs a call that changes nothing with the user's own session, on this installation. */
export function TryIt({ page: { path, parameters } }: { page: ApiPage }) {
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
    const answer = await callApi(`${address}${search}`, { failed: "The server did not answer." });
    setPending(false);
    if (answer.ok) setOutcome({ text: JSON.stringify(answer.value, null, 2) });
    else setOutcome({ problem: `${answer.status || "No answer"}: ${answer.message}` });
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
      <LiveRegion>{text === "" ? "" : "The answer is shown below."}</LiveRegion>
      {text !== "" && (
        <CodeBox label="Answer of this installation" text={isCut ? text.slice(0, SHOWN_CHARACTERS) : text} />
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
