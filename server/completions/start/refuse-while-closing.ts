import { goingDown } from '../../http/closing.ts'

/**
 * Nothing new is begun once the process goes down, also for a request that came just before.
 * @throws AppError `unavailable`
 */
export function refuseWhileClosing({ isClosing }: { readonly isClosing: () => boolean }): void {
  if (isClosing()) throw goingDown()
}
