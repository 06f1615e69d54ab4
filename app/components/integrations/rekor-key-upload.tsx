import { notify } from "#app/components/ui/notify.ts";
import { CsvUpload } from "#app/components/users/csv-upload.tsx";
import { MESSAGES } from "#app/entities/messages.ts";

/** Adds keys from a CSV file, all of them or none. */
export function RekorKeyUpload() {
  return (
    <CsvUpload<{ added: number }>
      path="/bulk-upload-api-keys"
      template="/download-api-keys-template"
      label="Upload keys"
      limits="At most 1 MB and 1,000 rows."
      failed={MESSAGES.apiKeysUploadFailed}
      rowsWrong={MESSAGES.apiKeysUploadFailed}
      onAdded={({ added }) =>
        notify.success(`${added} ${added === 1 ? "key was" : "keys were"} added`, {
          description: "Delete the file: whoever has it has the keys.",
        })
      }
    />
  );
}
