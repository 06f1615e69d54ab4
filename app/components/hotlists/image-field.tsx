import { ImageUp, X } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { DEFAULT_GROUP_IMAGE } from "#app/entities/alert-group.ts";

export type ImageFieldProps = {
  current: string | null;
  file: File | null;
  onChange: (file: File | null) => void;
};

/** A group's image with its preview; nothing is uploaded before the group is saved. */
export function ImageField({ current, file, onChange }: ImageFieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [preview, setPreview] = useState<string>();
  useEffect(() => {
    if (!file) return setPreview(undefined);
    const url = URL.createObjectURL(file);
    setPreview(url);
    return () => URL.revokeObjectURL(url);
  }, [file]);
  return (
    <div className="flex items-center gap-3">
      <img
        src={preview ?? current ?? DEFAULT_GROUP_IMAGE}
        alt={preview ? "Preview of the new image" : "The group's image"}
        width={96}
        height={96}
        className="size-24 rounded-md border border-line object-cover"
      />
      <div className="flex min-w-0 flex-col gap-1.5">
        <label htmlFor={id} className="text-sm font-medium">
          Image
        </label>
        <input
          ref={input}
          id={id}
          type="file"
          accept="image/jpeg,image/png,image/webp"
          className="sr-only"
          tabIndex={-1}
          onChange={(event) => onChange(event.currentTarget.files?.[0] ?? null)}
        />
        <div className="flex flex-wrap gap-2">
          <Button size="sm" icon={<ImageUp />} onClick={() => input.current?.click()}>
            Choose image
          </Button>
          {file && (
            <Button
              size="sm"
              variant="ghost"
              icon={<X />}
              onClick={() => {
                if (input.current) input.current.value = "";
                onChange(null);
              }}
            >
              Take back
            </Button>
          )}
        </div>
        <p className="text-xs text-muted">
          JPEG, PNG or WebP, at most 8 MB. Place and camera data are taken out.
        </p>
      </div>
    </div>
  );
}
