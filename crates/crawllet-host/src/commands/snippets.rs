//! What does the owner paste where?

use crate::config::Config;
use std::path::Path;

/// Everything, with headings.
pub(super) fn all(config: &Config, folder: &Path, program: &Path) -> String {
    let state = config.state(folder);
    let (folder, program, state) = (folder.display(), program.display(), state.display());
    let authority = &config.authority;
    format!(
        "# --- Apache (mod_cgid): in the <VirtualHost> of {authority}; then: a2enmod cgid && systemctl reload apache2
ScriptAlias /.well-known/crawllet {program}
<Location /.well-known/crawllet>
    SetEnv CRAWLLET_DIR {folder}
    SetEnv no-gzip 1
    Require all granted
</Location>

# --- nginx + fcgiwrap: in the server {{ }} of {authority}
location /.well-known/crawllet {{
    include fastcgi_params;
    fastcgi_param SCRIPT_FILENAME {program};
    fastcgi_param CRAWLLET_DIR {folder};
    fastcgi_param NO_BUFFERING 1;
    fastcgi_buffering off;
    fastcgi_request_buffering off;
    fastcgi_read_timeout 300s;
    client_max_body_size 10m;
    gzip off;
    fastcgi_pass unix:/run/fcgiwrap.socket;
}}

# --- nginx, forwarding to the service below (set behind_proxy = true in {folder}/crawllet.toml)
location /.well-known/crawllet {{
    proxy_pass http://127.0.0.1:9000;
    proxy_http_version 1.1;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_buffering off;
    proxy_request_buffering off;
    proxy_read_timeout 300s;
    client_max_body_size 10m;
    gzip off;
}}

# --- systemd: /etc/systemd/system/crawllet-host.service
[Unit]
Description=Crawllets for {authority}
After=network.target
[Service]
ExecStart={program} serve --dir {folder} --listen 127.0.0.1:9000
User=www-data
Restart=on-failure
NoNewPrivileges=yes
ProtectSystem=strict
ReadWritePaths={state}
PrivateTmp=yes
[Install]
WantedBy=multi-user.target

# --- robots.txt, above all groups
Crawllet: /.well-known/crawllet
"
    )
}
