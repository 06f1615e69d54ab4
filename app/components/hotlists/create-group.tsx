import { useNavigate } from "@remix-run/react";
import { CircleAlert, CircleCheck } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/field.tsx";
import { Input, Textarea } from "#app/components/ui/input.tsx";
import { GROUP_DESCRIPTION_MAX, GROUP_NAME_MAX, type UsersOfAgency } from "#app/entities/alert-group.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { call, saveKey } from "./call.ts";
import { ImageField } from "./image-field.tsx";
import { MemberFields } from "./member-fields.tsx";

const REDIRECT_MS = 2500;

export function CreateGroup({ users }: { users: Record<string, UsersOfAgency["users"]> }) {
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [image, setImage] = useState<File | null>(null);
  const [members, setMembers] = useState<Set<string>>(new Set());
  const [state, setState] = useState<"editing" | "saving" | "saved">("editing");
  const [problem, setProblem] = useState("");
  const [detail, setDetail] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const key = useRef(saveKey());

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (state !== "editing") return;
    if (name.trim() === "") {
      setProblem(MESSAGES.groupNameRequired);
      field.current?.focus();
      return;
    }
    setState("saving");
    setProblem("");
    setDetail("");
    const body = new FormData();
    body.set("group_name", name);
    body.set("group_description", description);
    body.set("group_members", [...members].join(","));
    body.set("idempotency_key", key.current);
    if (image) body.set("group_image_file", image);
    const answer = await call("/groups/create-mobile", { body, failed: MESSAGES.groupCreateFailed });
    if (!answer.ok) {
      key.current = saveKey();
      setState("editing");
      setDetail(answer.message);
      return;
    }
    setState("saved");
    setTimeout(() => navigate("/alerts"), REDIRECT_MS);
  }

  return (
    <form
      onSubmit={submit}
      className="mx-auto flex w-full max-w-3xl flex-col gap-5 px-4 py-5 sm:px-6"
      noValidate
    >
      <h1 className="text-xl font-semibold tracking-tight">Create New Group</h1>
      <div role="alert" className="empty:hidden">
        {detail && (
          <p className="flex items-start gap-2 rounded-md bg-hit-soft px-3 py-2 font-medium text-hit">
            <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
            <span>
              {MESSAGES.groupCreateFailed}
              {detail !== MESSAGES.groupCreateFailed && ` ${detail}`}
            </span>
          </p>
        )}
      </div>
      <div role="status" className="empty:hidden">
        {state === "saved" && (
          <p className="flex items-center gap-2 rounded-md bg-ok-soft px-3 py-2 font-medium text-ok">
            <CircleCheck aria-hidden="true" className="size-4" />
            {MESSAGES.groupCreated}
          </p>
        )}
      </div>
      <Field label="Name" required error={problem}>
        {(control) => (
          <Input
            {...control}
            ref={field}
            autoFocus
            value={name}
            maxLength={GROUP_NAME_MAX}
            onChange={(event) => {
              setName(event.currentTarget.value);
              setProblem("");
            }}
          />
        )}
      </Field>
      <Field label="Description" hint="Optional">
        {(control) => (
          <Textarea
            {...control}
            value={description}
            maxLength={GROUP_DESCRIPTION_MAX}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
        )}
      </Field>
      <ImageField current={null} file={image} onChange={setImage} />
      <section aria-labelledby="members" className="flex flex-col gap-2">
        <h2 id="members" className="text-lg font-semibold">
          Members
        </h2>
        <p className="text-sm text-muted">
          Members are told of this group's alerts. Other agencies join by invitation, once the group exists.
        </p>
        <MemberFields users={users} selected={members} onChange={setMembers} />
      </section>
      <div className="flex gap-2 border-t border-line pt-4">
        <Button
          type="submit"
          variant="primary"
          pending={state !== "editing"}
          pendingLabel={state === "saved" ? "Created" : "Creating…"}
        >
          Create Group
        </Button>
        <Button onClick={() => navigate("/alerts")}>Cancel</Button>
      </div>
    </form>
  );
}
