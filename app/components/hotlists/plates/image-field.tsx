import { X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { Field } from "#app/components/ui/fields/field.tsx";
import { FILE_INPUT } from "#app/components/ui/fields/input.tsx";
import { DEFAULT_GROUP_IMAGE } from "#app/entities/hotlists/group.ts";

/** A group's image with a preview. It is uploaded when the group is saved. */
export function ImageField({ current, error }: { current: string | null; error?: string }) {
  const input = useRef<HTMLInputElement>(null);
  const [preview, setPreview] = useState<string>();

  useEffect(() => {
    // A file may have been chosen before the scripts loaded.
    const element = input.current;
    setPreview(previewOf(element));
    const reset = () => setPreview(undefined);
    element?.form?.addEventListener("reset", reset);
    return () => element?.form?.removeEventListener("reset", reset);
  }, []);

  useEffect(() => (preview ? () => URL.revokeObjectURL(preview) : undefined), [preview]);

  return (
    <div className="flex items-start gap-3">
      <img
        src={preview ?? current ?? DEFAULT_GROUP_IMAGE}
        alt={preview ? "Preview of the new image" : "The group's image"}
        width={96}
        height={96}
        className="size-24 shrink-0 rounded-md border border-line object-cover"
      />
      <Field
        label="Image"
        hint="JPEG, PNG, WebP or GIF, at most 8 MB. Location data is removed."
        error={error}
        className="flex-1"
      >
        {(control) => (
          <div className="flex flex-wrap items-center gap-2">
            <input
              {...control}
              ref={input}
              type="file"
              name="group_image_file"
              accept="image/jpeg,image/png,image/webp,image/gif"
              className={cx(FILE_INPUT, "flex-1")}
              onChange={(event) => setPreview(previewOf(event.currentTarget))}
            />
            {preview && (
              <Button
                size="sm"
                variant="ghost"
                icon={<X />}
                onClick={() => {
                  if (input.current) input.current.value = "";
                  input.current?.dispatchEvent(new Event("change", { bubbles: true }));
                  setPreview(undefined);
                }}
              >
                Undo
              </Button>
            )}
          </div>
        )}
      </Field>
    </div>
  );
}

function previewOf(input: HTMLInputElement | null): string | undefined {
  const file = input?.files?.[0];
  return file && URL.createObjectURL(file);
}
