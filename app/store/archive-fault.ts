// The error for archived audit rows and archived hits whose file in R2 is not as it was written.

import { AppError, isAppError } from "#app/lib/errors.ts";

/** A stored file of archived rows is missing, was changed, or belongs to other rows. */
export class ArchiveFault extends AppError {
  readonly isFileMissing: boolean;

  constructor(message: string, options: { isFileMissing?: boolean; cause?: unknown } = {}) {
    super("unavailable", message, { cause: options.cause });
    this.isFileMissing = options.isFileMissing ?? false;
  }
}

/** Returns whether a thrown value is an ArchiveFault, from either of the two copies of this module in the bundle. */
export function isArchiveFault(error: unknown): error is ArchiveFault {
  return isAppError(error) && "isFileMissing" in error;
}
