import { useRevalidator } from "@remix-run/react";
import { KeyRound, Trash2 } from "lucide-react";
import { callApi } from "#app/components/forms/api.ts";
import { FindInPages, type ListQuery, pageAddress, without } from "#app/components/forms/find-form.tsx";
import { PageLinks } from "#app/components/forms/page-links.tsx";
import { ScreenForm, SubmitButton } from "#app/components/forms/screen-form.tsx";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { useConfirm } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { InputField } from "#app/components/ui/fields/labeled.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { DataTable } from "#app/components/ui/table.tsx";
import { CsvUpload } from "#app/components/users/csv-upload.tsx";
import { REKOR_HOSTS, type RekorKeyRow, type Tested } from "#app/entities/integrations/settings.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import type { NumberedPage } from "#app/lib/pages.ts";
import { HealthState, TestButton } from "./health-state.tsx";

/** Adds one API key and, if scripts run, tests it immediately. The key is visible only while it is typed. */
export function RekorKeyForm() {
  const { revalidate } = useRevalidator();
  const form = useScreenForm<{ id: string }>({
    intent: "add-key",
    keyed: true,
    failed: MESSAGES.apiKeyAddFailed,
    onDone: ({ message, result }) => void test(message, result?.id ?? ""),
  });

  async function test(added: string, id: string) {
    const answer = await callApi<Tested>(`/test-api-key/${encodeURIComponent(id)}`, {
      method: "POST",
      failed: MESSAGES.unknownError,
    });
    if (answer.ok && answer.value.ok) notify.success(added, { description: answer.value.msg });
    else if (answer.ok) notify.error(added, { description: answer.value.msg });
    else if (!answer.declined) notify.error(added, { description: answer.message });
    revalidate();
  }

  return (
    <ScreenForm state={form} className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-2">
        <InputField
          {...form.field("agency")}
          label="Agency"
          hint="The name shown in searches."
          required
          autoComplete="off"
          maxLength={120}
        />
        <Field
          label="Host"
          error={form.problem("base_url")}
          hint="Self-hosted servers must be allowed by the operator."
        >
          {(control) => (
            <>
              <Input
                {...control}
                name="base_url"
                defaultValue={form.value("base_url")}
                type="url"
                list="rekor-hosts"
                autoComplete="off"
                spellCheck={false}
                placeholder={REKOR_HOSTS[0]}
              />
              <datalist id="rekor-hosts">
                {REKOR_HOSTS.map((host) => (
                  <option key={host} value={host} />
                ))}
              </datalist>
            </>
          )}
        </Field>
        <InputField
          label="API key"
          error={form.problem("api_key")}
          hint="Encrypted when saved; afterwards only its last four characters are shown."
          required
          className="sm:col-span-2"
          name="api_key"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={400}
          controlClass="font-mono"
        />
      </div>
      <SubmitButton state={form} pendingLabel="Adding…">
        Add API Key
      </SubmitButton>
    </ScreenForm>
  );
}

/** The names of the text and the page of the list of keys in the screen's query. */
export const KEYS = { find: "key", page: "keys" };

/** A page of the agency's API keys: the agency that each can search, the host and its health. */
export function RekorKeyTable({ list, query }: { list: NumberedPage<RekorKeyRow>; query: ListQuery }) {
  const { mutate } = useMutation();
  const { ask, dialog } = useConfirm();
  const find = query[KEYS.find] ?? "";
  if (list.found === 0 && find === "") {
    return (
      <EmptyState icon={<KeyRound />} title={MESSAGES.noApiKeys}>
        Add a key above to search its agency.
      </EmptyState>
    );
  }
  return (
    <>
      <FindInPages
        label="Find a key"
        placeholder="Agency, host or last four characters"
        noun="API key"
        find={find}
        list={list}
        name={KEYS.find}
        kept={without(query, [KEYS.find, KEYS.page])}
      />
      {list.found > 0 && <KeyTable keys={list.rows} onDelete={(key) => ask(deletion(key))} />}
      <PageLinks
        page={list.page}
        pages={list.pages}
        label="Pages of keys"
        to={(to) => pageAddress(to, query, KEYS.page)}
        preventScrollReset
      />
      {dialog}
    </>
  );

  function deletion({ id, agency, api_key }: RekorKeyRow) {
    return {
      title: `Delete the key of ${agency}?`,
      body: `From now on, no one in your agency can search ${agency} with the key ${api_key}. Finished searches keep their results, without images, until the results expire.`,
      confirm: "Delete",
      danger: true,
      run: () =>
        mutate(
          callApi(`/delete-api-key/${encodeURIComponent(id)}`, {
            method: "DELETE",
            failed: MESSAGES.apiKeyDeleteFailed,
          }),
        ),
    };
  }
}

type KeyTableProps = { keys: readonly RekorKeyRow[]; onDelete: (key: RekorKeyRow) => void };

function KeyTable({ keys, onDelete }: KeyTableProps) {
  return (
    <DataTable
      label="API keys"
      caption="API keys, sorted by agency"
      cardsBelow="medium"
      columns={["Agency", "API Key", "Source", "Host", "Health", "Actions"]}
    >
      {keys.map((key) => (
        <tr key={key.id} className="card:grid-cols-2">
          <th scope="row" className="min-w-32 font-medium wrap-anywhere card:col-span-2">
            {key.agency}
          </th>
          <td data-label="API Key" className="font-mono whitespace-nowrap">
            {key.api_key}
          </td>
          <td data-label="Source">{key.source_program}</td>
          <td data-label="Host" className="min-w-40 break-all card:col-span-2 row:max-w-64">
            {key.base_url.replace("https://", "")}
          </td>
          <td className="card:col-span-2">
            <HealthState health={key.health} />
          </td>
          <td className="card:col-span-2">
            <span className="flex flex-wrap items-center gap-1 noscript:hidden">
              <TestButton path={`/test-api-key/${encodeURIComponent(key.id)}`} of={key.agency} />
              <IconButton
                size="sm"
                icon={<Trash2 />}
                label={`Delete the key of ${key.agency}`}
                onClick={() => onDelete(key)}
              />
            </span>
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

const ADVICE = "Delete the file: anyone who has it has the keys.";

function countText(added: number): string {
  return `${added} ${added === 1 ? "key was" : "keys were"} added`;
}

/** Adds keys from a CSV file, all of them or none. */
export function RekorKeyUpload() {
  return (
    <CsvUpload<{ added: number }>
      intent="upload-keys"
      keyed
      template="/download-api-keys-template"
      label="Upload keys"
      limits="At most 1 MB and 1,000 rows."
      failed={MESSAGES.apiKeysUploadFailed}
      rowsWrong={MESSAGES.apiKeysUploadFailed}
      addedOnPage={({ added }) => (
        <p role="status" className="font-medium text-ok">
          {countText(added)}. {ADVICE}
        </p>
      )}
      onAdded={({ added }) => notify.success(countText(added), { description: ADVICE })}
    />
  );
}
