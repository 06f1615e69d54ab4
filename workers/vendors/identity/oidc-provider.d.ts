/** The parts of the package that the demo uses; it has no types of its own. */
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  type Client = { clientId: string; backchannelLogout(subject: string, session: string): Promise<void> };
  type Grant = { addOIDCScope(scope: string): void; save(): Promise<string> };
  type Context = {
    body: unknown;
    oidc: { provider: Provider; client: Client; session: { accountId: string } };
  };
  type Login = { login: { accountId: string; amr?: string[]; acr?: string } };

  export default class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    Grant: new (of: {
      clientId: string;
      accountId: string;
    }) => Grant;
    Client: { find(id: string): Promise<Client | undefined> };
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<{ uid: string }>;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: Login | { error: string },
      options: { mergeWithLastSubmission: boolean },
    ): Promise<void>;
    on(event: string, listener: (...values: unknown[]) => void): void;
  }
  export type { Context };
}
