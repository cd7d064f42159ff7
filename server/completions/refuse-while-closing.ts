import { AppError } from '../http/app-error.ts'

/**
 * Nothing new is begun once the process goes down.
 * @throws AppError `unavailable`
 */
export function refuseWhileClosing({ isClosing }: { readonly isClosing: () => boolean }): void {
  if (isClosing()) throw new AppError('unavailable', 'The server is going down. Try again in a moment.')
}
