import type { UserInfo } from '@yonder/contract/identity'
import useSWR from 'swr'
import { ButtonLink } from '../../ui/button/button.tsx'
import { SettingsGroup, SettingsRow } from '../../ui/form/settings-list.tsx'
import { Avatar } from '../../ui/icons/avatar.tsx'
import { Skeleton } from '../../ui/states/progress.tsx'

/** The signed-in user, with a link to the account page of the built-in provider. */
export function UserInformation({ accountUrl }: { readonly accountUrl: string | null }) {
  const { data, error } = useSWR<UserInfo, Error>('/api/auth/userinfo')
  return (
    <SettingsGroup title="User Information">
      {data !== undefined ? (
        <Details user={data} />
      ) : error !== undefined ? (
        <p role="alert" className="py-5 text-sm text-danger">
          Error loading user data
        </p>
      ) : (
        <Loading />
      )}
      {accountUrl !== null && (
        <SettingsRow
          name="Account and security"
          meaning="Change your password, and see where you are signed in."
        >
          <ButtonLink href={accountUrl}>
            Manage<span className="sr-only"> account and security</span>
          </ButtonLink>
        </SettingsRow>
      )}
    </SettingsGroup>
  )
}

function Details({ user }: { readonly user: UserInfo }) {
  const name = user.name || 'User'
  return (
    <>
      <div className="flex items-center gap-4 py-4">
        <Avatar name={name} picture={user.picture} size={48} />
        <div className="min-w-0">
          <p className="truncate font-medium">{name}</p>
          {user.email !== null && <p className="truncate text-sm text-muted">{user.email}</p>}
        </div>
      </div>
      <SettingsRow name="ID">
        <Identifier>{user.sub}</Identifier>
      </SettingsRow>
      <SettingsRow name="Prefix">
        <Identifier>{user.userPrefix}</Identifier>
      </SettingsRow>
    </>
  )
}

function Identifier({ children }: { readonly children: string }) {
  return <code className="font-mono text-sm break-all text-muted select-all">{children}</code>
}

function Loading() {
  return (
    <>
      <output className="flex items-center gap-4 py-4">
        <Skeleton shape="circle" size="size-12" />
        <span className="flex h-12 items-center text-sm text-muted">Loading...</span>
      </output>
      <SettingsRow name="ID">
        <Skeleton size="h-4 w-56" />
      </SettingsRow>
      <SettingsRow name="Prefix">
        <Skeleton size="h-4 w-32" />
      </SettingsRow>
    </>
  )
}
