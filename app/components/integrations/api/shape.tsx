import type { ApiField, ApiShape } from "#app/entities/integrations/api-shape.ts";

import { Prose } from "./prose.tsx";

/** A schema in words: its type, then its fields, with their own fields indented below them. */
export function ShapeView({ shape }: { shape: ApiShape }) {
  return (
    <div className="flex min-w-0 flex-col gap-1 text-sm">
      <p>
        <code className="font-mono break-words">{shape.type}</code>
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
            <Field key={field.name} field={field} />
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

function Field({ field: { name, isRequired, shape } }: { field: ApiField }) {
  return (
    <li className="flex min-w-0 flex-col gap-1">
      <p className="min-w-0">
        <code className="font-mono font-medium break-words">{name}</code>{" "}
        <code className="font-mono break-words text-muted">{shape.type}</code>
        {!isRequired && <span className="text-muted"> optional</span>}
        <Words shape={shape} />
      </p>
      <Inside shape={shape} />
    </li>
  );
}

function Words({ shape: { description, limits } }: { shape: ApiShape }) {
  return (
    <>
      {limits !== "" && <span className="break-words text-muted"> ({limits})</span>}
      {description !== "" && (
        <span className="block break-words">
          <Prose text={description} />
        </span>
      )}
    </>
  );
}
