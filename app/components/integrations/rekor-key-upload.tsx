import { notify } from "#app/components/ui/dialogs/notify.ts";
import { CsvUpload } from "#app/components/users/csv-upload.tsx";
import { MESSAGES } from "#app/entities/messages.ts";

const ADVICE = "Delete the file: anyone who has it has the keys.";

function wordsOf(added: number): string {
  return `${added} ${added === 1 ? "key was" : "keys were"} added`;
}

/** Adds keys from a CSV file, all of them or none. */
export function RekorKeyUpload() {
  return (
    <CsvUpload<{ added: number }>
      intent="upload-keys"
      template="/download-api-keys-template"
      label="Upload keys"
      limits="At most 1 MB and 1,000 rows."
      failed={MESSAGES.apiKeysUploadFailed}
      rowsWrong={MESSAGES.apiKeysUploadFailed}
      addedOnPage={({ added }) => (
        <p role="status" className="font-medium text-ok">
          {wordsOf(added)}. {ADVICE}
        </p>
      )}
      onAdded={({ added }) => notify.success(wordsOf(added), { description: ADVICE })}
    />
  );
}
