/** Codes of expected failures; each stands for one HTTP status. */
export const ERROR_STATUS = {
  bad_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  step_up_required: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  too_large: 413,
  unsupported_media: 415,
  too_many: 429,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/**
 * A failure that the product expects and can say in words that the user may read.
 * Anything else that is thrown is a bug and reaches the user only as an opaque error id.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  /** Seconds after which a retry may succeed, where that is known. */
  readonly retryAfter: number | undefined;
  /** The name of the form field that the message is about, where there is one. */
  readonly field: string | undefined;
  /** Fields of the answer beside the message, where a client can use them. */
  readonly details: Record<string, unknown> | undefined;
  /** The problem of each form field, by the field's name, where several fields have one. */
  readonly problems: Record<string, string> | undefined;
  /** Whether the audit log says already that this was refused. */
  audited = false;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      retryAfter?: number;
      field?: string;
      problems?: Record<string, string>;
      details?: Record<string, unknown>;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.retryAfter = options.retryAfter;
    this.field = options.field;
    this.details = options.details;
    this.problems = options.problems;
  }
}

/** Marks a refusal whose row in the audit log is written, and gives it back, to be thrown. */
export function audited(error: AppError): AppError {
  error.audited = true;
  return error;
}

/** Whether a thrown value is one of ours, across the two copies of the module that the bundle holds. */
export function isAppError(error: unknown): error is AppError {
  return error instanceof Error && error.name === "AppError" && "code" in error;
}
