import { type MetaFunction, redirect } from "@remix-run/cloudflare";
import { useSearchParams } from "@remix-run/react";
import { SignIn } from "#app/components/accounts/sign-in.tsx";
import { Footer } from "#app/components/shell/footer.tsx";
import { screenLoader } from "#app/http/screen.ts";

export const loader = screenLoader("public", ({ actor }) => {
  if (actor) throw redirect("/search");
  return {};
});

export const meta: MetaFunction = () => [{ title: "Sign in · Odin" }];

export default function SignInScreen() {
  const failed = useSearchParams()[0].has("failed");
  return (
    <>
      <main id="content" className="flex flex-1 flex-col md:p-6">
        <SignIn failed={failed} />
      </main>
      <Footer />
    </>
  );
}
