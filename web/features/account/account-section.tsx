import { useEffect, useState } from 'react'
import { useDeleteAccount } from '../../data/account.ts'
import { ApiError, readReason } from '../../lib/api/api-error.ts'
import { toast } from '../../lib/toasts.ts'
import { Button } from '../../ui/button/button.tsx'
import { SettingsGroup, SettingsRow } from '../../ui/form/settings-list.tsx'
import { personalStorage } from '../chat/chat-storage.ts'
import { leaveDeleted, readIdToken, signInAgain } from '../identity/own-account.ts'
import { useIdentity } from '../identity/use-identity.ts'
import { ConfirmDeletionDialog } from './confirm-deletion-dialog.tsx'
import { DeletionDialog } from './deletion-dialog.tsx'
import { deletionInProgress, isSignInRecent } from './sign-in-again.ts'

/** The open dialog. */
type Step =
  | { readonly is: 'words' }
  /** `problem` is why it is shown again. */
  | { readonly is: 'contents'; readonly problem?: string; readonly isRecent: boolean }

/**
 * The card with which the user deletes the account, in two steps: what is deleted, which needs a recent sign-in, and the
 * words. The user comes back to the second step from the sign-in.
 */
export function AccountSection() {
  const { identity, userId } = useSignedIn()
  const [step, setStep] = useState(() => resume(userId, readIdToken(identity)))
  const deletion = useDeleteAccount()
  useEffect(() => {
    const returned = deletionInProgress.read()
    deletionInProgress.remove()
    if (returned !== null && returned !== userId)
      toast.error('You have signed in as another user. Nothing was deleted.')
  }, [userId])

  const leaveForSignIn = async () => {
    deletionInProgress.write(userId)
    try {
      await signInAgain(identity, location.pathname)
    } catch (error) {
      deletionInProgress.remove()
      setStep({
        is: 'contents',
        problem: `You could not sign in again. ${readReason(error)}`,
        isRecent: false,
      })
    }
  }

  /** Returns why the account was not deleted. */
  const remove = async (confirmation: string): Promise<string | undefined> => {
    const result = await deletion.run({ confirmation, id_token: readIdToken(identity) ?? '' })
    if (result.done) {
      await leaveDeleted(identity, personalStorage.clearAll)
      return undefined
    }
    const { error } = result
    // Without an error, the user was signed out, and the page is about to show that.
    if (error === undefined) return undefined
    if (!(error instanceof ApiError && error.code === 'sign_in_too_old')) return readReason(error)
    // The clock of this device may be wrong, so the page does not decide again.
    setStep({ is: 'contents', problem: readReason(error), isRecent: false })
    return undefined
  }

  const open = () => setStep({ is: 'contents', isRecent: isSignInRecent(readIdToken(identity)) })
  const close = () => setStep(undefined)
  return (
    <>
      <SettingsGroup title="Account">
        <SettingsRow
          name="Delete the account"
          meaning="Your chats, files, bots and connectors, and all that is stored about you."
        >
          <Button onClick={open}>Delete...</Button>
        </SettingsRow>
      </SettingsGroup>
      {step?.is === 'contents' && (
        <DeletionDialog
          problem={step.problem}
          isSignInRecent={step.isRecent}
          onProceed={step.isRecent ? async () => setStep({ is: 'words' }) : leaveForSignIn}
          onClose={close}
        />
      )}
      {step?.is === 'words' && <ConfirmDeletionDialog onConfirm={remove} onClose={close} />}
    </>
  )
}

function useSignedIn() {
  const { state, identity } = useIdentity()
  return { identity, userId: state.status === 'authenticated' ? state.user.sub : '' }
}

/** The step to which the user comes back from the sign-in, if it was the same user. */
function resume(userId: string, idToken: string | null): Step | undefined {
  if (deletionInProgress.read() !== userId) return undefined
  if (isSignInRecent(idToken)) return { is: 'words' }
  return { is: 'contents', problem: 'You have not signed in again.', isRecent: false }
}
